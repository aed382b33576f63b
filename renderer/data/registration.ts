import { registerPartner, resendVerification } from '../../shared/api/registration.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'

type Registration = Omit<InputOf<typeof registerPartner>['body'], 'acceptTerms'>

export const register = {
  mutationFn: (registration: Registration) =>
    api.call(registerPartner, { body: { ...registration, acceptTerms: true } }),
}

export const resendVerificationMail = { mutationFn: () => api.call(resendVerification, {}) }
