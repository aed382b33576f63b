import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { TaskContext } from './kind.ts'
import { TaskFailure } from './task.ts'

/** Messages from a worker thread to the engine. */
type Message = { progress: unknown } | { result: unknown } | { failure: string; isFinal: boolean } | { error: unknown }

/** Runs the module in a thread of its own, which ends at once when `signal` aborts, whatever it does. */
export async function runInWorker(module: URL, input: unknown, context: TaskContext<unknown>): Promise<unknown> {
  const { signal } = context
  signal.throwIfAborted()
  const worker = new Worker(module, { workerData: { input } })
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end)
  worker.on('error', reject)
  worker.on('exit', (code) => reject(new Error(`The worker ended with ${code} and without a result`)))
  worker.on('message', (message: Message) => {
    if ('progress' in message) context.progress(message.progress)
    else if ('result' in message) resolve(message.result)
    else if ('failure' in message) reject(new TaskFailure(message.failure, { isFinal: message.isFinal }))
    else reject(message.error)
  })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', end)
    await worker.terminate()
  }
}

/** The whole of a module for a `WorkerKind`: does `work` with the input of the task. */
export async function workHere<Input, Progress>(
  work: (input: Input, progress: (progress: Progress) => void) => unknown,
): Promise<void> {
  if (isMainThread || !parentPort) throw new Error('This module runs in a worker thread only')
  const port = parentPort
  const say = (message: Message) => port.postMessage(message)
  try {
    say({ result: await work(workerData.input, (progress) => say({ progress })) })
  } catch (error) {
    say(error instanceof TaskFailure ? { failure: error.message, isFinal: error.isFinal } : { error })
  }
}
