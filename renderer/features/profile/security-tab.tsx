import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { enrollmentOptionsQuery, ownAccountQuery, passkeysQuery } from '../../data/mfa.ts'
import { publicConfigQuery, useMe } from '../../lib/session.ts'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { FactorsPanel } from './factors-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { RecoveryPanel } from './recovery-panel.tsx'
import { SsoLinksPanel } from './sso-links-panel.tsx'

export function SecurityTab() {
  const me = useMe()
  const config = useQuery(publicConfigQuery).data
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
      {config?.mfa.enabled !== false && <Factors />}
      <Stack miw={0}>
        <PasswordPanel me={me} />
        <SsoLinksPanel />
      </Stack>
    </SimpleGrid>
  )
}

function Factors() {
  const account = useQuery(ownAccountQuery)
  const passkeys = useQuery(passkeysQuery)
  const rules = useQuery(enrollmentOptionsQuery)
  const queries = [account, passkeys, rules]
  if (!account.data || !passkeys.data || !rules.data) {
    const error = queries.map((query) => query.error).find((one) => one !== null)
    if (error) return <LoadFailed error={error} onRetry={() => Promise.all(queries.map(({ refetch }) => refetch()))} />
    return <SkeletonLines count={4} />
  }
  return (
    <Stack miw={0}>
      <FactorsPanel account={account.data} rules={rules.data} passkeys={passkeys.data} />
      {account.data.mfaEnabled && <RecoveryPanel left={account.data.recoveryCodesLeft} />}
    </Stack>
  )
}
