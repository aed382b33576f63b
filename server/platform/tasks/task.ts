import type { Selectable } from 'kysely'
import type { TaskTable } from '../tables.ts'

export type TaskRow = Selectable<TaskTable>
export type TaskState = TaskRow['state']

/** One piece of background work. Instants are ISO text. */
export interface Task<Input = unknown, Progress = unknown, Result = unknown> {
  id: string
  kind: string
  /**
   * `waiting` also after a failed attempt, until the next; `failed` after the last; `expired` past its deadline;
   * `cancelled` on request, or because it became obsolete.
   */
  state: TaskState
  input: Input
  /** What it last reported, also by an attempt before; null at the beginning. */
  progress: Progress | null
  /** Null until it is completed. */
  result: Result | null
  /** Why the last attempt failed. */
  error: string | null
  /** How often it was started: more than once after a failure, and when the appliance stopped in between. */
  attempts: number
  orgId: string | null
  partnerId: string | null
  requestedBy: string | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  /** When it is started next; null unless it waits. */
  dueAt: string | null
  /** Not done by then, it is given up. */
  deadlineAt: string | null
}

export function taskOf<Input, Progress, Result>(row: TaskRow): Task<Input, Progress, Result> {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    input: JSON.parse(row.input),
    progress: parsed(row.progress),
    result: parsed(row.result),
    error: row.error,
    attempts: row.attempts,
    orgId: row.org_id,
    partnerId: row.partner_id,
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    dueAt: row.due_at,
    deadlineAt: row.deadline_at,
  }
}

const parsed = (json: string | null) => (json === null ? null : JSON.parse(json))

export const isOpen = ({ state }: { state: TaskState }): boolean => state === 'waiting' || state === 'active'

/** Thrown by the work of a task: its message is kept with the task and shown, that of any other error is only logged. */
export class TaskFailure extends Error {
  override name = 'TaskFailure'
  /** Trying again would not help. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options)
    this.isFinal = isFinal
  }
}
