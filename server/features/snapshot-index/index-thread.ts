import { Worker } from 'node:worker_threads'
import { IndexError } from './index-error.ts'
import type { Answer, Asked, Questions, Request } from './shapes.ts'

/** Beside this module; the built server keeps both beside its main file. */
const module = new URL(
  import.meta.url.endsWith('.ts') ? './snapshot-index-worker.ts' : './snapshot-index-worker.js',
  import.meta.url,
)

/** A thread for index files, which is started with the first question, and anew after it has died. */
export class IndexThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #worker: Worker | null = null
  #lastId = 0
  #isStopped = false

  async ask<Name extends Asked>(
    ask: Name,
    file: string,
    input: Questions[Name]['input'],
  ): Promise<Questions[Name]['output']> {
    if (this.#isStopped) throw new IndexError('stopped', 'The appliance is stopping')
    const settled = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    this.#waiting.set(id, settled)
    this.#worker ??= this.#start()
    this.#worker.postMessage({ id, ask, file, input } as Request)
    return (await settled.promise) as Questions[Name]['output']
  }

  /** Of a thread that never ran, `close` has nothing to do. */
  async close(file: string): Promise<void> {
    if (this.#worker) await this.ask('close', file, {})
  }

  /** What it is writing is taken back by SQLite, as after a kill. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(module)
    worker.unref()
    worker.on('message', (answer: Answer) => this.#settle(answer))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', () => {
      this.#worker = null
      this.#fail(new IndexError('stopped', 'A thread of the snapshot index ended'))
    })
    return worker
  }

  #settle(answer: Answer): void {
    const settled = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (answer.isDone) settled?.resolve(answer.value)
    else settled?.reject(answer.code ? new IndexError(answer.code, answer.message) : new Error(answer.message))
  }

  #fail(error: unknown): void {
    for (const settled of this.#waiting.values()) settled.reject(error)
    this.#waiting.clear()
  }
}
