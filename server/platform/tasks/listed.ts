import type { ByHand, TaskAmount } from './kind.ts'
import type { RegisteredKind } from './registered-kind.ts'
import { isOpen, type Task, type TaskRow, taskOf } from './task.ts'

/** A task for administrators, who need not know what it is about: neither its input nor its result. */
export interface ListedTask extends Omit<Task, 'input' | 'progress' | 'result'> {
  description: string
  amount: TaskAmount | null
  actions: readonly ByHand[]
}

/** A kind that only a newer version knows shows its name. */
export function listed(row: TaskRow, kind: RegisteredKind | undefined): ListedTask {
  const { input: _, progress: __, result: ___, ...task } = taskOf(row)
  return {
    ...task,
    description: kind?.description ?? row.kind,
    amount: kind && 'run' in kind.work ? kind.work.amountOf(row) : null,
    actions: actionsOn(row, kind),
  }
}

/** What has failed may be dismissed, whatever it is. */
export function actionsOn(row: TaskRow, kind: RegisteredKind | undefined): readonly ByHand[] {
  if (!kind) return []
  const mayRetry = kind.byHand.includes('retry') && (row.state === 'waiting' || row.state === 'failed')
  const mayCancel = row.state === 'failed' || (kind.byHand.includes('cancel') && isOpen(row))
  return [...(mayRetry ? (['retry'] as const) : []), ...(mayCancel ? (['cancel'] as const) : [])]
}
