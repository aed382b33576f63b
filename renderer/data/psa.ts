import { queryOptions } from '@tanstack/react-query'
import {
  createPsaConnection,
  deletePsaConnection,
  listPsaConnections,
  setPsaStatus,
  testPsaConnection,
  updatePsaConnection,
} from '../../shared/api/psa.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { allPages } from '../lib/all-pages.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

/** Connections of the partner itself; organizations may have their own. */
export const partnerWideConnectionsQuery = queryOptions({
  queryKey: ['psa-connections'],
  queryFn: async ({ signal }) => {
    const all = await allPages((page) =>
      api.call(listPsaConnections, { query: { page: String(page), limit: '100' } }, signal),
    )
    return all.filter(({ ownerScope }) => ownerScope === 'partner')
  },
})

const connectionsChanged = () => queryClient.invalidateQueries({ queryKey: partnerWideConnectionsQuery.queryKey })

type New = Pick<BodyOf<typeof createPsaConnection>, 'provider' | 'name' | 'credentials'>
type Change = Pick<BodyOf<typeof updatePsaConnection>, 'name' | 'credentials'>

export const addConnection = {
  mutationFn: (body: New) => api.call(createPsaConnection, { body: { ownerScope: 'partner', ...body } }),
  onSuccess: connectionsChanged,
}

export const changeConnection = (id: string) => ({
  mutationFn: (body: Change) => api.call(updatePsaConnection, { params: { id }, body }),
  onSuccess: connectionsChanged,
})

export const testConnection = {
  mutationFn: (id: string) => api.call(testPsaConnection, { params: { id } }),
  onSettled: connectionsChanged,
}

export const setConnectionStatus = (id: string) => ({
  mutationFn: (status: 'active' | 'paused') => api.call(setPsaStatus, { params: { id }, body: { status } }),
  onSettled: connectionsChanged,
})

export const removeConnection = {
  mutationFn: (id: string) => api.call(deletePsaConnection, { params: { id } }),
  onSettled: connectionsChanged,
}
