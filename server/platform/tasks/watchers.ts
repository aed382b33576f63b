import type { Task } from './task.ts'

/** Told of every change of the task, its progress included; undefined once it is forgotten. */
export type Watcher = (task: Task | undefined) => void

/** Who watches which task, in this process. */
export class Watchers {
  readonly #byTask = new Map<string, Set<Watcher>>()

  /** Until the function it answers is called. */
  add(id: string, watcher: Watcher): () => void {
    const watchers = this.#byTask.get(id) ?? new Set()
    this.#byTask.set(id, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0) this.#byTask.delete(id)
    }
  }

  /** `find` reads the task, if anybody watches it. */
  tell(id: string, find: () => Task | undefined): void {
    const watchers = this.#byTask.get(id)
    if (!watchers) return
    const task = find()
    for (const watcher of [...watchers]) watcher(task)
  }
}
