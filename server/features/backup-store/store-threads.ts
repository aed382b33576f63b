import { availableParallelism } from 'node:os'
import { Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { StoreAnswer, StoreRequest } from './store-worker.ts'

type Question<Request = StoreRequest> = Request extends StoreRequest ? Omit<Request, 'id'> : never

/** What the file system, or the store itself, refused: `ENOSPC`, `EROFS`, `wrong_hash`, `exists` … */
export class StoreError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Beside this module; the built server keeps both beside its main file. */
const module = new URL(import.meta.url.endsWith('.ts') ? './store-worker.ts' : './store-worker.js', import.meta.url)

class Thread {
  readonly #worker = new Worker(module)
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>[]>()
  /** Uploads and lists that are on their way. */
  load = 0

  constructor(onEnd: () => void) {
    this.#worker.unref()
    this.#worker.on('message', (answer: StoreAnswer) => this.#settle(answer))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => {
      this.#fail(new Error('A thread of the backup store ended'))
      onEnd()
    })
  }

  ask(request: StoreRequest): Promise<unknown> {
    const settled = Promise.withResolvers<unknown>()
    const others = this.#waiting.get(request.id)
    if (others) others.push(settled)
    else this.#waiting.set(request.id, [settled])
    this.#worker.postMessage(request)
    return settled.promise
  }

  end(): Promise<unknown> {
    return this.#worker.terminate()
  }

  /** Answers of one request come in the order of its questions. */
  #settle(answer: StoreAnswer): void {
    const all = this.#waiting.get(answer.id)
    const settled = all?.shift()
    if (all?.length === 0) this.#waiting.delete(answer.id)
    if (answer.done) settled?.resolve(answer.value)
    else settled?.reject(new StoreError(answer.code, answer.message))
  }

  #fail(error: Error): void {
    for (const all of this.#waiting.values()) for (const settled of all) settled.reject(error)
    this.#waiting.clear()
  }
}

/**
 * As much as is sent to a thread at once, and may wait for it. Each upload reads up to this in one turn of the event loop:
 * fifty at the same time with 1 MB held everybody else up for up to 80 ms of CPU.
 */
const pieceBytes = 512 * 1024

/**
 * Memory that an upload shares with its thread. It is used again: what is allocated anew for each piece makes V8 look at
 * all of its memory all the time.
 */
class Pieces {
  readonly #free: Uint8Array[] = []

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(pieceBytes))
  }

  giveBack(piece: Uint8Array): void {
    if (this.#free.length < mostFree) this.#free.push(piece)
  }
}

/** As many as there usually are at the same time. */
const mostFree = 64

/** The threads that write to the disk, each started when there is work for it. */
export class StoreThreads {
  readonly #threads = new Set<Thread>()
  readonly #most = Math.min(4, Math.max(2, availableParallelism()))
  readonly #pieces = new Pieces()
  #lastId = 0

  upload(target: Target): Upload {
    const thread = this.#leastBusy()
    const id = ++this.#lastId
    thread.load++
    const piece = this.#pieces.take()
    const onEnd = () => {
      thread.load--
      this.#pieces.giveBack(piece)
    }
    return new Upload(target, piece, (question) => thread.ask({ ...question, id }), onEnd)
  }

  /** For what is asked once. */
  async ask(question: Extract<Question, { do: 'list' | 'create' | 'measure' }>): Promise<unknown> {
    const thread = this.#leastBusy()
    thread.load++
    try {
      return await thread.ask({ ...question, id: ++this.#lastId })
    } finally {
      thread.load--
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #leastBusy(): Thread {
    const [idlest] = [...this.#threads].sort((one, other) => one.load - other.load)
    if (idlest && (idlest.load === 0 || this.#threads.size >= this.#most)) return idlest
    const thread: Thread = new Thread(() => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
  }
}

type Ask = (question: Question) => Promise<unknown>

interface Target {
  /** Where it is written until it is complete. */
  draft: string
  file: string
  /** The SHA-256 its content must have; null where it need not. */
  name: string | null
}

/** Takes the content of one object, which has its name when the stream has finished, and is gone when that fails. */
export class Upload extends Writable {
  readonly #ask: Ask
  readonly #target: Target
  readonly #piece: Uint8Array
  readonly #onEnd: () => void
  bytes = 0
  /** Whether the store had no such object yet. */
  isNew = false

  constructor(target: Target, piece: Uint8Array, ask: Ask, onEnd: () => void) {
    super({ highWaterMark: pieceBytes })
    this.#ask = ask
    this.#target = target
    this.#piece = piece
    this.#onEnd = onEnd
  }

  override _construct(done: (error?: Error | null) => void): void {
    this.#ask({ do: 'begin', draft: this.#target.draft }).then(() => done(), done)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#send([chunk]).then(() => done(), done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(chunks.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const end = () => {
      this.#onEnd()
      done(error)
    }
    this.#ask({ do: 'abort' }).then(end, end)
  }

  override _final(done: (error?: Error | null) => void): void {
    const { file, name } = this.#target
    this.#ask({ do: 'finish', file, name }).then((isNew) => {
      this.isNew = isNew === true
      done()
    }, done)
  }

  /** A piece at a time: the thread has done with one when it answers. */
  async #send(chunks: Buffer[]): Promise<void> {
    let filled = 0
    for (const chunk of chunks)
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + pieceBytes - filled)
        this.#piece.set(part, filled)
        at += part.length
        filled += part.length
        if (filled < pieceBytes) continue
        await this.#flush(filled)
        filled = 0
      }
    if (filled > 0) await this.#flush(filled)
  }

  async #flush(length: number): Promise<void> {
    this.bytes += length
    await this.#ask({ do: 'write', piece: this.#piece, length })
  }
}
