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

/** A key with its secret, as it is told once. */
export type CreatedApiKey = Pick<ReplyOf<typeof createApiKey>, 'name' | 'key' | 'warning' | 'scopes' | 'orgName'>
type Show = (key: CreatedApiKey) => void

interface Wanted {
  orgId?: string | undefined
  status?: ApiKeyStatus | undefined
  search?: string | undefined
  page: number
  limit: number
}

export const apiKeysQuery = ({ page, limit, ...filters }: Wanted) =>
  queryOptions({
    queryKey: [...apiKeyKey, { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listApiKeys, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
    // Programs use keys, and their creators lose powers, without a word to this page.
    staleTime: 0,
    refetchOnWindowFocus: true,
  })

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...apiKeyKey, 'one', id],
    queryFn: ({ signal }) => api.call(readApiKey, { params: { id } }, signal),
  })

export const apiKeysChanged = () => queryClient.invalidateQueries({ queryKey: apiKeyKey })

/** What a mutation answers is kept for a while: the secret goes past it, to the one place that shows it. */
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
