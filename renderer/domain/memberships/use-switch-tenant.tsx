import { useMutation } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { switchTenant } from '../../lib/session.ts'
import { ssoLoginUrl } from '../../lib/sso-login-url.ts'
import { discardUnsavedChanges, hasUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { confirmLeave } from '../../ui/confirm-leave.tsx'

/** Switches to another tenant and loads the page anew, so that nothing of the former tenant stays. */
export function useSwitchTenant() {
  const leaveFor = (address: string) => {
    discardUnsavedChanges()
    location.assign(address)
  }
  const enter = useMutation({
    mutationFn: switchTenant,
    onSuccess: () => leaveFor('/'),
    onError: (error) => {
      const loginUrlOfTenant = loginUrlIn(error)
      if (loginUrlOfTenant) void confirmSignIn().then((isConfirmed) => isConfirmed && leaveFor(loginUrlOfTenant))
      else notifyFailed('Switching failed; you’re still in the same place')(error)
    },
  })
  const switchTo = async (membershipId: string) => {
    if (!hasUnsavedChanges() || (await confirmLeave())) enter.mutate(membershipId)
  }
  return { switchTo, isPending: enter.isPending }
}

/** Login URL of a tenant that only accepts its own identity provider. */
function loginUrlIn(error: Error): string | null {
  if (!(error instanceof ApiError) || error.code !== 'membership_sign_in') return null
  const { loginUrl } = error.body
  const email = api.owner()?.email
  return typeof loginUrl === 'string' ? ssoLoginUrl(loginUrl, email ? { email } : {}) : null
}

const confirmSignIn = () =>
  askToConfirm({
    title: 'Sign in to switch',
    consequences: 'The company or organization uses its own identity provider. Sign in there to continue.',
    confirm: 'Go to sign-in',
    isHarmless: true,
  })
