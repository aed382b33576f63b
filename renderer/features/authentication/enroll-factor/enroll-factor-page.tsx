import { Button } from '@mantine/core'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import type { Me } from '../../../../shared/api/profile.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { EnrollFactor } from '../../../domain/mfa/enroll-factor.tsx'
import { useSignOut } from '../../../domain/session/use-sign-out.ts'
import { dateOnly } from '../../../lib/format.ts'
import { queryClient } from '../../../lib/query-client.ts'
import { safeNext } from '../../../lib/safe-next.ts'
import { meQuery, useMe } from '../../../lib/session.ts'

/** Enrollment of a second factor that a policy requires, now or by a date. */
export function EnrollFactorPage() {
  const me = useMe()
  const { next } = useSearch({ from: '/auth/mfa/setup' })
  const router = useRouter()
  const navigate = useNavigate()
  const leave = useSignOut()
  const goOn = () => {
    const target = safeNext(next)
    return target ? router.history.push(target) : navigate({ to: '/' })
  }
  const done = async () => {
    await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })
    await goOn()
  }
  const otherwise = me.mfaEnrollment.required ? (
    <Button variant="subtle" color="gray" loading={leave.isPending} onClick={() => leave.mutate()}>
      Sign out
    </Button>
  ) : (
    <Button variant="subtle" color="gray" onClick={goOn}>
      Not now
    </Button>
  )
  return (
    <StandalonePage title="Set up two-factor authentication" about={whoAsks(me)} width={560}>
      <EnrollFactor onDone={done} otherwise={otherwise} />
    </StandalonePage>
  )
}

function whoAsks({ partnerName, mfaEnrollment: { required, status, deadline } }: Me): string {
  const who = partnerName ?? 'This appliance'
  if (status === 'active' && deadline)
    return `${who} requires a second factor for people with your role. Set one up by ${dateOnly(deadline)}.`
  if (status === 'expired' && deadline)
    return `${who} has required a second factor for people with your role since ${dateOnly(deadline)}. Set one up to continue.`
  if (required) return `${who} requires a second factor. Set one up to continue.`
  return 'Two-factor authentication protects your account even if your password is stolen.'
}
