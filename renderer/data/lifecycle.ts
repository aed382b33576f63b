import { queryOptions } from '@tanstack/react-query'
import { archiveOrganization, listErasures, readOffboarding, restoreOrganization } from '../../shared/api/lifecycle.ts'
import { deleteOrganization, type Organization, updateOrganization } from '../../shared/api/organizations.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { contactKeys } from './contacts.ts'
import { deviceKeys } from './devices.ts'
import { enrollmentKeyKeys } from './enrollment-keys.ts'
import { organizationKeys } from './organizations.ts'

export const lifecycleKeys = { all: ['organization-life'] as const }

interface BackgroundWork {
  state: 'waiting' | 'active' | 'completed' | 'failed'
}

export const isUnfinished = ({ state }: BackgroundWork): boolean => state === 'waiting' || state === 'active'

/** Milliseconds between two reads: short while work is under way, long otherwise, since another user may start some. */
export const pollInterval = (rows: readonly BackgroundWork[] | undefined): number =>
  rows?.some(isUnfinished) ? 2000 : 60_000

export const offboardingQuery = (id: string) =>
  queryOptions({
    queryKey: [...lifecycleKeys.all, 'offboarding', id],
    queryFn: async ({ signal }) => (await api.call(readOffboarding, { params: { id } }, signal)).data,
    refetchInterval: 4000,
  })

export const erasuresQuery = queryOptions({
  queryKey: [...lifecycleKeys.all, 'erasures'],
  queryFn: async ({ signal }) => (await api.call(listErasures, {}, signal)).data,
  refetchInterval: ({ state }) => pollInterval(state.data),
})

/** Everything that shows the status of an organization, or where its devices are. */
export const organizationDependentKeys = [
  lifecycleKeys.all,
  organizationKeys.all,
  organizationKeys.sites,
  contactKeys.all,
  enrollmentKeyKeys.all,
  deviceKeys.lists,
  deviceKeys.stats,
  deviceKeys.groups,
]

export const lifecycleChanged = () =>
  Promise.all(organizationDependentKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))

type NewStatus = Extract<Organization['status'], 'active' | 'trial' | 'suspended' | 'offboarding' | 'churned'>

export const changeOrganizationStatus = (id: string) => ({
  mutationFn: (status: NewStatus) => api.call(updateOrganization, { params: { id }, body: { status } }),
  onSuccess: lifecycleChanged,
})

export const archiveOrganizationMutation = (id: string) => ({
  mutationFn: (retentionDays: number | null) =>
    api.call(archiveOrganization, { params: { id }, body: { retentionDays } }),
  onSuccess: lifecycleChanged,
})

export const restoreOrganizationMutation = (id: string) => ({
  mutationFn: () => api.call(restoreOrganization, { params: { id } }),
  onSuccess: lifecycleChanged,
})

export const deleteOrganizationMutation = (id: string) => ({
  mutationFn: () => api.call(deleteOrganization, { params: { id } }),
})
