import { queryOptions } from '@tanstack/react-query'
import {
  type AssignmentLevel,
  addPolicyLink,
  assignmentsOfTarget,
  assignPolicy,
  type ConfigurationPolicy,
  deletePolicy,
  effectivePolicy,
  listAssignments,
  listPolicies,
  unassignPolicy,
  updatePolicy,
  updatePolicyLink,
} from '../../shared/api/configuration-policies.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { allPages } from '../lib/all-pages.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** Those of the organization and of its company that are about backups, or about nothing yet. */
export const backupPoliciesQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.policies, { orgId }],
    queryFn: async ({ signal }) => {
      const all = await allPages((page) =>
        api.call(listPolicies, { query: { orgId, page: String(page), limit: '100' } }, signal),
      )
      return all.filter(({ featureLinks, status }) => status !== 'archived' && isAboutBackups(featureLinks))
    },
  })

const isAboutBackups = (links: ConfigurationPolicy['featureLinks']): boolean =>
  links.length === 0 || links.some(({ featureType }) => featureType === 'backup')

export const policyAssignmentsQuery = (id: string) =>
  queryOptions({
    queryKey: [...backupKeys.policies, 'assignments', id],
    queryFn: async ({ signal }) => (await api.call(listAssignments, { params: { id } }, signal)).data,
  })

export const targetAssignmentsQuery = (level: AssignmentLevel, targetId: string) =>
  queryOptions({
    queryKey: [...backupKeys.policies, 'target', { level, targetId }],
    queryFn: async ({ signal }) => (await api.call(assignmentsOfTarget, { query: { level, targetId } }, signal)).data,
  })

export const effectiveBackupQuery = (deviceId: string) =>
  queryOptions({
    queryKey: [...backupKeys.effective, deviceId],
    queryFn: ({ signal }) => api.call(effectivePolicy, { params: { deviceId } }, signal),
  })

/** A policy shows in lists, on devices and in what `run-all` would do. */
export const backupPoliciesChanged = () => queryClient.invalidateQueries({ queryKey: backupKeys.all })

type PolicyChange = InputOf<typeof updatePolicy>['body']

export const changePolicy = (id: string) => ({
  mutationFn: (body: PolicyChange) => api.call(updatePolicy, { params: { id }, body }),
  onSuccess: backupPoliciesChanged,
})

export const removePolicy = {
  mutationFn: (id: string) => api.call(deletePolicy, { params: { id } }),
  onSuccess: backupPoliciesChanged,
}

interface PolicySettings {
  name: string
  inlineSettings: Record<string, unknown>
  /** The profile; undefined leaves it as it is. */
  featurePolicyId?: string | null | undefined
}

/** What the backup link of a policy says. */
export const savePolicySettings = ({ id, name: before, featureLinks }: ConfigurationPolicy) => ({
  mutationFn: async ({ name, ...settings }: PolicySettings) => {
    const link = featureLinks.find(({ featureType }) => featureType === 'backup')
    if (link) await api.call(updatePolicyLink, { params: { id, linkId: link.id }, body: settings })
    else await api.call(addPolicyLink, { params: { id }, body: { featureType: 'backup', ...settings } })
    if (name !== before) await api.call(updatePolicy, { params: { id }, body: { name } })
  },
  onSettled: backupPoliciesChanged,
})

export interface PolicyTarget {
  level: Exclude<AssignmentLevel, 'partner'>
  targetId: string
}

export const assign = (id: string) => ({
  mutationFn: async (targets: readonly PolicyTarget[]) => {
    for (const target of targets) await api.call(assignPolicy, { params: { id }, body: target })
  },
  onSettled: backupPoliciesChanged,
})

export const unassign = (id: string) => ({
  mutationFn: (assignmentId: string) => api.call(unassignPolicy, { params: { id, assignmentId } }),
  onSuccess: backupPoliciesChanged,
})
