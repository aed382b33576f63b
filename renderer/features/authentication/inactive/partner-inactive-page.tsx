import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { partnerStatusQuery } from '../../../data/partner-status.ts'
import type { PartnerStatusNotice } from '../../../data/partner-status-notice.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { useSignOut } from '../../../domain/session/use-sign-out.ts'
import { api } from '../../../lib/api.ts'
import { queryClient } from '../../../lib/query-client.ts'
import { meQuery } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { OtherMemberships } from './other-memberships.tsx'

/** The only page open to users whose partner is not active. */
export function PartnerInactivePage() {
  const notice = useQuery(partnerStatusQuery)
  const leave = useSignOut()
  const navigate = useNavigate()
  const lookAgain = async () => {
    const { data } = await notice.refetch()
    if (data?.status !== 'active') return
    await queryClient.prefetchQuery({ ...meQuery, staleTime: 0 })
    // If the session ended with the partner, the session handler has navigated to the sign-in.
    if (api.isSignedIn()) await navigate({ to: '/' })
  }
  return (
    <StandalonePage title="This account isn’t active">
      <Stack>
        {notice.isPending && <SkeletonLines count={2} />}
        {notice.error && <FormError error={notice.error} />}
        {notice.data && <StatusText notice={notice.data} />}
        <OtherMemberships />
        <Button variant="default" fullWidth loading={notice.isFetching} onClick={lookAgain}>
          Check again
        </Button>
        <Button variant="subtle" color="gray" fullWidth loading={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </Button>
      </Stack>
    </StandalonePage>
  )
}

function StatusText({ notice: { status, message, action } }: { notice: PartnerStatusNotice }) {
  return (
    <>
      <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {message ??
          statusTexts[status ?? ''] ??
          'Your company can’t use Homeport at the moment. Ask the operator of this appliance.'}
      </Text>
      {action && (
        <Button component="a" href={action.url} target="_blank" rel="noopener noreferrer" fullWidth>
          {action.label}
        </Button>
      )}
    </>
  )
}

const statusTexts: Record<string, string> = {
  pending: 'Your company is registered but not approved yet. The operator of this appliance has to approve it.',
  suspended: 'Your company is suspended. Your devices and data are kept. Ask the operator of this appliance.',
}
