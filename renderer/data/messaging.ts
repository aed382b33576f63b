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
} from '../../shared/api/messaging.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { publicConfigQuery } from '../lib/session.ts'
import { enrollmentOptionsQuery } from './mfa.ts'

export type MailSettings = ReplyOf<typeof readMailSettings>
export type SmsSettings = ReplyOf<typeof readSmsSettings>
/** As entered in the form. */
export type SmtpSettings = NonNullable<InputOf<typeof sendTestMail>['body']['smtp']>
export type SmsProvider = NonNullable<InputOf<typeof sendTestSms>['body']['settings']>

const keys = { all: ['mail'] as const, sms: ['sms-settings'] as const }

interface MailQuery {
  status?: MailStatus
  page: number
  limit: number
}

/** Polled, because the queue changes without live events. */
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

/** Mail that failed for good, and mail that waits although no mail server is set up. */
export const mailProblemsQuery = queryOptions({
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

const mailChanged = () =>
  Promise.all(
    // Pages before the sign-in say whether mail is sent.
    [keys.all, publicConfigQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  )
const smsChanged = () =>
  Promise.all(
    // Whether text messages can be a second factor depends on it.
    [keys.sms, enrollmentOptionsQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  )

export const retryMailMutation = {
  mutationFn: (id: string) => api.call(retryMail, { params: { id } }),
  onSettled: mailChanged,
}

export const discardMailMutation = {
  mutationFn: (id: string) => api.call(discardMail, { params: { id } }),
  onSettled: mailChanged,
}

/** Without `settings`, the stored ones are tested. */
interface TestMessage<Settings> {
  to: string
  settings?: Settings
}

export const saveMailServer = {
  mutationFn: (smtp: SmtpSettings) => api.call(updateMailSettings, { body: { smtp } }),
  onSuccess: mailChanged,
}

export const removeMailServer = {
  mutationFn: () => api.call(updateMailSettings, { body: { smtp: null } }),
  onSettled: mailChanged,
}

export const sendTestMailMutation = {
  mutationFn: ({ to, settings: smtp }: TestMessage<SmtpSettings>) =>
    api.call(sendTestMail, { body: { to, ...(smtp && { smtp }) } }),
}

export const saveSmsProvider = {
  mutationFn: (settings: SmsProvider) => api.call(updateSmsSettings, { body: settings }),
  onSuccess: smsChanged,
}

export const removeSmsProvider = {
  mutationFn: () => api.call(updateSmsSettings, { body: { provider: 'none' } }),
  onSettled: smsChanged,
}

export const sendTestSmsMutation = {
  mutationFn: (body: TestMessage<SmsProvider>) => api.call(sendTestSms, { body }),
}
