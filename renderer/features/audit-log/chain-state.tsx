import type { AuditChainView } from '../../../shared/api/audit-log.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

export function ChainState({ chain: { fault, isBeingChecked, checkedAt } }: { chain: AuditChainView }) {
  // A known fault stays visible while the chain is checked again.
  if (fault) return <StatusDot tone="bad">Broken</StatusDot>
  if (isBeingChecked)
    return (
      <StatusDot tone="busy" isPulsing>
        Checking
      </StatusDot>
    )
  return checkedAt ? <StatusDot tone="good">Intact</StatusDot> : <StatusDot tone="idle">Not checked yet</StatusDot>
}
