/** One line of what `holdfast doctor` found. */
export interface Finding {
  readonly name: string;
  /** Null where nothing is wrong but nothing is there either, such as a server that nobody has started. */
  readonly ok: boolean | null;
  readonly detail: string;
  /** What to do; only where something can be done. */
  readonly remedy?: string;
}

export const good = (name: string, detail: string): Finding => ({ name, ok: true, detail });

export const bad = (name: string, detail: string, remedy?: string): Finding => ({
  ...open(name, detail, remedy),
  ok: false,
});

export const open = (name: string, detail: string, remedy?: string): Finding => ({
  name,
  ok: null,
  detail,
  ...(remedy === undefined ? {} : { remedy }),
});
