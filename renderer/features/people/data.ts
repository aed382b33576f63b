import { queryOptions } from '@tanstack/react-query'
import { listUsers, resetUserMfa } from '../../../shared/api/people.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async ({ signal }) => (await api.call(listUsers, {}, signal)).data,
})

export const resetFactors = {
  mutationFn: (id: string) => api.call(resetUserMfa, { params: { id } }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey }),
}
