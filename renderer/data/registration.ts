import { registerPartner, resendVerification, updateRegistration } from '../../shared/api/registration.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { publicConfigQuery } from '../lib/session.ts'

type Registration = Omit<InputOf<typeof registerPartner>['body'], 'acceptTerms'>

export const register = {
  mutationFn: (registration: Registration) =>
    api.call(registerPartner, { body: { ...registration, acceptTerms: true } }),
}

export const resendVerificationMail = { mutationFn: () => api.call(resendVerification, {}) }

export const changeRegistration = {
  mutationFn: (open: boolean) => api.call(updateRegistration, { body: { open } }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: publicConfigQuery.queryKey }),
}
