import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  createEnrollmentKey,
  deleteEnrollmentKey,
  listEnrollmentKeys,
  readEnrollmentKey,
  rotateEnrollmentKey,
} from '../../shared/api/enrollment-keys.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const enrollmentKeyKeys = { all: ['enrollment-keys'] as const }

/** A key with its secret, which the API returns only once. */
export type CreatedEnrollmentKey = ReplyOf<typeof createEnrollmentKey>

type KeyQuery = { orgId?: string; expired?: 'true' | 'false'; page: number; limit: number }

export const enrollmentKeysQuery = ({ page, limit, ...filters }: KeyQuery) =>
  queryOptions({
    queryKey: [...enrollmentKeyKeys.all, 'list', { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listEnrollmentKeys, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
  })

export const enrollmentKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...enrollmentKeyKeys.all, 'one', id],
    queryFn: ({ signal }) => api.call(readEnrollmentKey, { params: { id } }, signal),
  })

const keysChanged = () => queryClient.invalidateQueries({ queryKey: enrollmentKeyKeys.all })

type NewKey = InputOf<typeof createEnrollmentKey>['body']

export const addEnrollmentKey = {
  mutationFn: (body: NewKey) => api.call(createEnrollmentKey, { body }),
  onSuccess: keysChanged,
}

export const rotateEnrollmentKeyMutation = {
  mutationFn: (id: string) => api.call(rotateEnrollmentKey, { params: { id }, body: {} }),
  onSuccess: keysChanged,
}

export const deleteEnrollmentKeyMutation = {
  mutationFn: (id: string) => api.call(deleteEnrollmentKey, { params: { id } }),
  onSuccess: keysChanged,
}
