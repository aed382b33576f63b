import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { encryptionKeysQuery } from '../../data/encryption-keys.ts'
import { unprintedKeys } from '../../domain/backup-keys/unprinted-keys.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'

/** For people who may print it, until somebody has said that it is locked away. */
export function RecoverySheetNotice({ orgId }: { orgId: string }) {
  const me = useMe()
  const mayPrint = can(me, 'organizations:write') && !me.isConfined
  const keys = useQuery({ ...encryptionKeysQuery(orgId), enabled: mayPrint })
  if (!mayPrint || !keys.data || unprintedKeys(keys.data).length === 0) return null
  return (
    <Notice tone="warn" title="The recovery sheet isn’t locked away yet" mb="md">
      <Text size="sm">
        If this appliance is lost, its backups can only be opened with the recovery sheet.{' '}
        <TextLink to="/backup/keys" search={{ open: 'sheet' }} size="sm" underline="always">
          Print the recovery sheet
        </TextLink>
      </Text>
    </Notice>
  )
}
