import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type ApiKeyStatus,
  createApiKey,
  listApiKeys,
  readApiKey,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../shared/api/api-keys.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

const apiKeyKey = ['api-keys'] as const

/** A key with its secret, which the API returns only once. */
export type CreatedApiKey = Pick<ReplyOf<typeof createApiKey>, 'name' | 'key' | 'warning' | 'scopes' | 'orgName'>
type Show = (key: CreatedApiKey) => void

interface ApiKeyFilters {
  orgId?: string | undefined
  status?: ApiKeyStatus | undefined
  search?: string | undefined
  page: number
  limit: number
}

export const apiKeysQuery = ({ page, limit, ...filters }: ApiKeyFilters) =>
  queryOptions({
    queryKey: [...apiKeyKey, { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listApiKeys, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
    // Use of a key, and its creator losing permissions, announce no live event.
    staleTime: 0,
    refetchOnWindowFocus: true,
  })

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...apiKeyKey, 'one', id],
    queryFn: ({ signal }) => api.call(readApiKey, { params: { id } }, signal),
  })

export const apiKeysChanged = () => queryClient.invalidateQueries({ queryKey: apiKeyKey })

/**
 * The result of a mutation stays in memory for a while, so the secret is handed to `show` and never becomes the
 * result.
 */
export const createApiKeyMutation = (show: Show) => ({
  mutationFn: async (body: InputOf<typeof createApiKey>['body']) => show(await api.call(createApiKey, { body })),
  onSuccess: apiKeysChanged,
})

export const rotateApiKeyMutation = (show: Show) => ({
  mutationFn: async (id: string) => show(await api.call(rotateApiKey, { params: { id } })),
  onSuccess: apiKeysChanged,
})

export const changeApiKey = (id: string) => ({
  mutationFn: (body: InputOf<typeof updateApiKey>['body']) => api.call(updateApiKey, { params: { id }, body }),
  onSuccess: apiKeysChanged,
})

export const revokeApiKeyMutation = {
  mutationFn: (id: string) => api.call(revokeApiKey, { params: { id } }),
  onSuccess: apiKeysChanged,
}
