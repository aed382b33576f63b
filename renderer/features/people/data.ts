import { queryOptions } from '@tanstack/react-query'
import { listUsers, resetUserMfa } from '../../../shared/api/people.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

/** Also those of the organizations, where the caller looks after them. */
const everybody = { ownerScope: 'all' } as const

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async ({ signal }) => (await api.call(listUsers, { query: everybody }, signal)).data,
})

export const resetFactors = {
  mutationFn: (id: string) => api.call(resetUserMfa, { params: { id }, query: everybody }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey }),
}
