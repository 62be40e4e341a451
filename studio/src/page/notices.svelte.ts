/** Something to say: what went wrong and what to do, or a question with its answers. */
export interface Notice {
  readonly id: number;
  readonly kind: 'problem' | 'question' | 'news';
  readonly message: string;
  readonly answers: readonly { readonly label: string; readonly detail?: string; act(): void }[];
}

/** What has to be said, until somebody closes it; news goes by itself. */
class Notices {
  list = $state.raw<readonly Notice[]>([]);
  #next = 1;

  say(kind: Notice['kind'], message: string, answers: Notice['answers'] = []): void {
    const notice = { id: this.#next++, kind, message, answers };
    this.list = [...this.list.filter((one) => one.message !== message), notice];
    if (kind === 'news') setTimeout(() => this.dismiss(notice.id), 8000);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((one) => one.id !== id);
  }

  /** What was wrong is settled: only news stays. */
  settle(): void {
    this.list = this.list.filter(({ kind }) => kind === 'news');
  }

  /** Runs something, and says what went wrong with it; what was stopped on purpose went wrong with nobody. */
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if ((error as Error).name !== 'AbortError') this.say('problem', sentence(error));
      return undefined;
    }
  }
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const notices = new Notices();
