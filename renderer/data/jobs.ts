import { queryOptions } from '@tanstack/react-query'
import { listJobs, runJob } from '../../shared/api/system.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: async ({ signal }) => (await api.call(listJobs, {}, signal)).data,
  refetchInterval: 15_000,
})

export const runJobNow = {
  mutationKey: ['run-job'],
  mutationFn: (name: string) => api.call(runJob, { params: { name } }),
  onSettled: () => queryClient.invalidateQueries({ queryKey: jobsQuery.queryKey }),
}
