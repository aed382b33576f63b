import { queryOptions } from '@tanstack/react-query'
import { connectionInfo, rotateCa, updatePublicAddress } from '../../shared/api/system.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { presetsQuery } from './sso-providers.ts'

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

export const changePublicAddress = {
  /** Null for the first address of the appliance. */
  mutationFn: (url: string | null) => api.call(updatePublicAddress, { body: { url } }),
  onSuccess: () =>
    Promise.all(
      // The redirect address of identity providers begins with it.
      [connectionInfoQuery.queryKey, presetsQuery.queryKey].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    ),
}
