import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  discardMail,
  listMail,
  type MailStatus,
  readMailSettings,
  readSmsSettings,
  retryMail,
  sendTestMail,
  sendTestSms,
  updateMailSettings,
  updateSmsSettings,
} from '../../../shared/api/messaging.ts'
import type { InputOf, ReplyOf } from '../../../shared/endpoint.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

export type MailSettings = ReplyOf<typeof readMailSettings>
export type SmsSettings = ReplyOf<typeof readSmsSettings>

const keys = { all: ['mail'] as const, sms: ['sms-settings'] as const }

interface MailQuery {
  status?: MailStatus
  page: number
  limit: number
}

/** The queue moves by itself. */
export const mailQuery = ({ status, page, limit }: MailQuery) =>
  queryOptions({
    queryKey: [...keys.all, 'list', { status, page, limit }],
    queryFn: ({ signal }) =>
      api.call(listMail, { query: { status, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })

export const mailSettingsQuery = queryOptions({
  queryKey: [...keys.all, 'settings'],
  queryFn: ({ signal }) => api.call(readMailSettings, {}, signal),
})

export const smsSettingsQuery = queryOptions({
  queryKey: keys.sms,
  queryFn: ({ signal }) => api.call(readSmsSettings, {}, signal),
})

/** What calls for the administrator: mail nobody could deliver, and mail that waits although there is no way out. */
export const mailTroubleQuery = queryOptions({
  queryKey: [...keys.all, 'trouble'],
  queryFn: async ({ signal }) => {
    const [{ queued, failed }, { source }] = await Promise.all([
      api.call(listMail, { query: { limit: '1' } }, signal),
      api.call(readMailSettings, {}, signal),
    ])
    return { failed, stranded: source === 'none' ? queued : 0 }
  },
  refetchInterval: 60_000,
})

const mailChanged = () => queryClient.invalidateQueries({ queryKey: keys.all })
const smsChanged = () => queryClient.invalidateQueries({ queryKey: keys.sms })

export const tryMailAgain = {
  mutationFn: (id: string) => api.call(retryMail, { params: { id } }),
  onSettled: mailChanged,
}

export const dropMail = {
  mutationFn: (id: string) => api.call(discardMail, { params: { id } }),
  onSettled: mailChanged,
}

export const saveMailSettings = {
  mutationFn: (body: InputOf<typeof updateMailSettings>['body']) => api.call(updateMailSettings, { body }),
  onSuccess: mailChanged,
}

export const saveSmsSettings = {
  mutationFn: (body: InputOf<typeof updateSmsSettings>['body']) => api.call(updateSmsSettings, { body }),
  onSuccess: smsChanged,
}

export const testMail = { mutationFn: (to: string) => api.call(sendTestMail, { body: { to } }) }
export const testSms = { mutationFn: (to: string) => api.call(sendTestSms, { body: { to } }) }
