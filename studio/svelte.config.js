/** Components are compiled for the browser alone; styles go to a file, as the content policy asks. */
export default {
  compilerOptions: { runes: true, css: 'external' },
};
