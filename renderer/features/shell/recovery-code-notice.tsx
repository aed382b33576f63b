import { Alert, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ownAccountQuery } from '../../data/mfa.ts'
import { recoveryCodeSpentQuery } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'

const fewCodes = 3
const codeCount = 10

/** After a sign-in with a recovery code: how many are left. */
export function RecoveryCodeNotice() {
  const { data: isSpent } = useQuery(recoveryCodeSpentQuery)
  return isSpent && <Notice />
}

function Notice() {
  const client = useQueryClient()
  const left = useQuery(ownAccountQuery).data?.recoveryCodesLeft
  // New codes have been created since.
  if (left === undefined || left === codeCount) return null
  return (
    <Alert
      color={left <= fewCodes ? 'yellow' : 'harbor'}
      variant="light"
      p="xs"
      px="md"
      mb="lg"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => client.setQueryData(recoveryCodeSpentQuery.queryKey, false)}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          You used a recovery code. {left === 0 ? 'None are left.' : left === 1 ? 'One is left.' : `${left} are left.`}
        </Text>
        {left <= fewCodes && (
          <ButtonLink to="/settings/profile" search={{ tab: 'security' }} size="xs">
            Create new codes
          </ButtonLink>
        )}
      </Group>
    </Alert>
  )
}
