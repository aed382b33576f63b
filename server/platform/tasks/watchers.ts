import type { Task } from './task.ts'

/** Called with every change of the task, its progress included; with undefined once it is removed. */
export type Watcher = (task: Task | undefined) => void

/** The watchers of tasks in this process. */
export class Watchers {
  readonly #byTask = new Map<string, Set<Watcher>>()

  /** Until the returned function is called. */
  add(id: string, watcher: Watcher): () => void {
    const watchers = this.#byTask.get(id) ?? new Set()
    this.#byTask.set(id, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0) this.#byTask.delete(id)
    }
  }

  /** `find` reads the task, if it is watched. */
  tell(id: string, find: () => Task | undefined): void {
    const watchers = this.#byTask.get(id)
    if (!watchers) return
    const task = find()
    for (const watcher of [...watchers]) watcher(task)
  }
}
