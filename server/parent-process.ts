import { isRecord } from '../shared/objects.ts'
import {
  type ExamineTrust,
  examineTrustMessage,
  type Ready,
  stopMessage,
  type TrustExamined,
} from '../shared/process.ts'

/** How long stopping may take once nobody is left to kill us, ms. */
const orphanGraceMs = 10_000

/** Electron's end of the line, in a utility process. It has no event for a lost parent: Chromium ends us itself. */
interface ParentPort {
  postMessage: (message: unknown) => void
  on: (event: 'message', listener: (event: { data: unknown }) => void) => void
}

const isParentPort = (value: unknown): value is ParentPort =>
  isRecord(value) && typeof value.postMessage === 'function' && typeof value.on === 'function'

export interface Parent {
  tell: (message: Ready | TrustExamined) => void
}

export interface Wishes {
  onStop: () => void
  onExamineTrust: (wish: ExamineTrust) => void
}

/**
 * Joins the process that started this one, when there is one: Electron, or Node by `child_process.fork`.
 * Started from a shell or by a service manager there is none, and telling does nothing.
 */
export function connectParent({ onStop, onExamineTrust }: Wishes): Parent {
  const receive = (message: unknown) => {
    if (stopMessage.safeParse(message).success) onStop()
    const wish = examineTrustMessage.safeParse(message)
    if (wish.success) onExamineTrust(wish.data)
  }

  const parentPort = 'parentPort' in process ? process.parentPort : undefined
  if (isParentPort(parentPort)) {
    parentPort.on('message', ({ data }) => receive(data))
    return { tell: (message) => parentPort.postMessage(message) }
  }

  if (process.send) {
    process.on('message', receive)
    process.once('disconnect', () => {
      setTimeout(() => process.exit(1), orphanGraceMs).unref()
      onStop()
    })
  }
  return { tell: (message) => process.connected && process.send?.(message) }
}
