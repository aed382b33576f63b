import { queryOptions } from '@tanstack/react-query'
import { connectionInfo, rotateCa } from '../../shared/api/system.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export type ConnectionInfo = ReplyOf<typeof connectionInfo>

export const connectionInfoQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: ({ signal }) => api.call(connectionInfo, {}, signal),
  // Devices confirm the next certificate authority one by one, with their heartbeats.
  refetchInterval: ({ state }) => (state.data?.caRotation ? 15_000 : false),
})

export const rotateAuthority = {
  mutationFn: () => api.call(rotateCa, {}),
  onSettled: () => queryClient.invalidateQueries({ queryKey: connectionInfoQuery.queryKey }),
}
