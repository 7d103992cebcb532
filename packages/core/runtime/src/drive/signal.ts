/** Something that happens once, for one who waits for it. */
export class Signal {
  readonly given: Promise<void>;
  readonly give: () => void;

  constructor() {
    let give = () => {};
    this.given = new Promise(resolve => {
      give = resolve;
    });
    this.give = give;
  }
}
