import { useQueries, useQuery } from '@tanstack/react-query'
import type { PolicyAssignment } from '../../../../shared/api/configuration-policies.ts'
import { backupPoliciesQuery, type PolicyTarget, targetAssignmentsQuery } from '../../../data/backup-policies.ts'

/** Assignments of other policies with backups to the same targets: the older one goes first, so a new one has no effect. */
export function useCompeting(orgId: string, targets: readonly PolicyTarget[]): PolicyAssignment[] {
  const policies = useQuery(backupPoliciesQuery(orgId)).data ?? []
  const found = useQueries({ queries: targets.map(({ level, targetId }) => targetAssignmentsQuery(level, targetId)) })
  const active = new Set(
    policies.flatMap(({ id, status, featureLinks }) => (status === 'active' && featureLinks.length > 0 ? [id] : [])),
  )
  return found.flatMap(({ data = [] }) => data.filter(({ configPolicyId }) => active.has(configPolicyId)))
}
