import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A device of another company, on a thread of its own so that nothing the test does delays it: beats all the time. */
export class Neighbor {
  readonly #worker: Worker

  constructor(url: string, token: string, body: object) {
    this.#worker = new Worker(new URL('./neighbor-thread.ts', import.meta.url), {
      workerData: { url, token, body: JSON.stringify(body) },
    })
  }

  /** Milliseconds it waited for an answer at most, or waits already, since it was last asked. */
  async longestWait(): Promise<number> {
    return Math.max(0, ...(await this.#waits()))
  }

  async usualWait(): Promise<number> {
    await pause(1000)
    const waits = (await this.#waits()).sort((a, b) => a - b)
    return waits[Math.floor(waits.length / 2)] ?? 0
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }

  async #waits(): Promise<number[]> {
    this.#worker.postMessage('tell')
    const [waits] = await once(this.#worker, 'message')
    return waits
  }
}
