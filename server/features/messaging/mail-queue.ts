import { toError } from '../../../shared/thrown.ts'
import { day, minute, second } from '../../platform/clock.ts'
import { type Task, TaskFailure, type TaskQueue, type Tasks } from '../../platform/tasks/index.ts'
import { isLinkMail, type LinkKind, linkKinds, type MailData, type MailKind } from './mail-kinds.ts'
import { type Delivered, MailRefusal, type MailTransport } from './mail-transport.ts'
import type { MailWriter } from './mail-writer.ts'

/** What a mail is made of; there is no link in it. */
export interface MailInput {
  kind: MailKind
  to: string
  data: MailData[MailKind]
}

/** Missing where mail left in an older version. */
export type MailResult = Pick<Delivered, 'file'>

export type MailQueue = TaskQueue<MailInput, unknown, MailResult>

/** Whether a link would still lead somewhere: it was not used, replaced or withdrawn. */
export type IsLinkLive = (kind: LinkKind, linkId: string) => boolean

export const mailTask = 'mail.send'

interface MailQueueOptions {
  tasks: Tasks
  writer: MailWriter
  /** The present way out; null while none is set up. The same object until the settings change. */
  transport: () => MailTransport | null
  isLinkLive: IsLinkLive
}

/** Takes mail to the mail server: again after a failure, and after a crash, so at least once. */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { tasks, transport, isLinkLive } = options
  return tasks.register<MailInput, unknown, MailResult>({
    name: mailTask,
    description: 'Sends an email',
    concurrency: 5,
    attemptMs: minute,
    // For what is on its way when the appliance stops.
    stopMs: 3 * second,
    keepMs: 30 * day,
    byHand: ['retry', 'cancel'],
    isReady: () => transport() !== null,
    // A newer mail may have taken its place, or its reader may have come without it.
    isObsolete: ({ kind, data }) => isLinkMail(kind) && 'linkId' in data && !isLinkLive(linkKinds[kind], data.linkId),
    run: (task, { signal }) => send(task, signal, options),
  })
}

async function send(mail: Task<MailInput>, signal: AbortSignal, options: MailQueueOptions): Promise<MailResult> {
  const { id, createdAt, deadlineAt: expiresAt } = mail
  const { kind, to, data } = mail.input
  const transport = options.transport()
  if (!transport) throw new TaskFailure('No mail server is set up')
  try {
    const written = options.writer.write({ kind, data, createdAt, expiresAt })
    const { file } = await transport.send({ id, kind, to, createdAt, ...written }, signal)
    return { file }
  } catch (error) {
    // The transport was replaced meanwhile: its failure says nothing about the mail.
    const isReplaced = transport !== options.transport() && options.transport() !== null
    if (isReplaced && !signal.aborted) return send(mail, signal, options)
    const words = withoutTokens(toError(error).message).slice(0, 500)
    throw new TaskFailure(words, { isFinal: error instanceof MailRefusal && error.isFinal, cause: error })
  }
}

/** Mail servers may quote a link in their refusal; it must not be readable in the log or the list of mail. */
const withoutTokens = (words: string): string => words.replace(/token=[\w-]+/gi, 'token=…')
