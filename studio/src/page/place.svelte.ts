import { type Address, readAddress, type View, writeAddress } from './address.ts';

/**
 * Where the page is, as its address says it: the view, the rows and the run that are chosen, and the view's
 * own choices.
 */
class Place {
  view = $state<View>('learn');
  data = $state('');
  run = $state('');
  choices = $state<Record<string, string>>({});

  /** Begins where the address says, and follows it from then on; tells whether it said anything. */
  begin(): boolean {
    const follow = () => this.#follow(readAddress(location.hash));
    follow();
    addEventListener('hashchange', follow);
    return location.hash.length > 2;
  }

  /** Goes to a view. */
  go(view: View, choices: Readonly<Record<string, string>> = {}): void {
    this.view = view;
    this.choices = { ...choices };
    history.pushState(null, '', this.#address);
  }

  /** Changes a choice of the present view. */
  choose(name: string, value: string | number | undefined): void {
    this.choices = { ...this.choices, [name]: value === undefined ? '' : String(value) };
    this.write();
  }

  write(): void {
    history.replaceState(null, '', this.#address);
  }

  get #address(): string {
    const { view, data, run, choices } = this;
    return writeAddress({ view, choices: { data, run, ...choices } });
  }

  #follow({ view, choices }: Address): void {
    const { data, run, ...rest } = choices;
    this.view = view;
    this.choices = rest;
    if (run) this.run = run;
    if (data) this.data = data;
  }
}

export const place = new Place();
