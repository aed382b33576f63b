import { queryOptions } from '@tanstack/react-query'
import { readAvatar, removeAvatar, uploadAvatar } from '../../shared/api/avatars.ts'
import { api } from '../lib/api.ts'
import { toDataUri } from '../lib/data-uri.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'

const avatarKey = ['avatar'] as const

/** A data URI, because the picture is only served to a call with the session's token. */
export const avatarQuery = (userId: string) =>
  queryOptions({
    queryKey: [...avatarKey, userId],
    queryFn: async ({ signal }) =>
      toDataUri(await (await api.open(readAvatar, { params: { id: userId } }, signal)).blob()),
    staleTime: 300_000,
    retry: false,
  })

const avatarChanged = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: avatarKey }),
    queryClient.invalidateQueries({ queryKey: ['people'] }),
    queryClient.invalidateQueries({ queryKey: meQuery.queryKey, exact: true }),
  ])

export const setPicture = {
  mutationFn: (picture: Blob) => api.upload(uploadAvatar, {}, picture),
  onSuccess: avatarChanged,
}

export const removePicture = { mutationFn: () => api.call(removeAvatar, {}), onSuccess: avatarChanged }
