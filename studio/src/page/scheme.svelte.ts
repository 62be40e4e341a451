/** Whether the page is dark: pictures are drawn anew when that changes. */
const dark = matchMedia('(prefers-color-scheme: dark)');

class Scheme {
  dark = $state(dark.matches);

  constructor() {
    dark.addEventListener('change', () => {
      this.dark = dark.matches;
    });
  }
}

export const scheme = new Scheme();
export const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
