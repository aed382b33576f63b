import { useQuery } from '@tanstack/react-query'
import type { AuditChainView, AuditEventView, AuditFault } from '../../../shared/api/audit-log.ts'
import { chainsQuery } from '../../data/audit-chains.ts'

/** The chain of an event: that of its organization, else of its partner, else of the appliance. */
export function useChainOf({ orgId, partnerId }: AuditEventView): AuditChainView | undefined {
  return useQuery(chainsQuery()).data?.data.find((chain) =>
    orgId ? chain.orgId === orgId : chain.orgId === null && chain.partnerId === partnerId,
  )
}

/** What is wrong with this event; null if it is intact or only next to a missing one. */
export function useFaultOf(event: AuditEventView): Extract<AuditFault, 'changed' | 'added'> | null {
  const fault = useChainOf(event)?.fault
  if (fault?.eventId !== event.id) return null
  return fault.kind === 'changed' || fault.kind === 'added' ? fault.kind : null
}
