import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Verification } from '../../../shared/api/backup-verification.ts'
import { snapshotCopiesQuery } from '../../data/backup-vaults.ts'
import { TextLink } from '../../ui/links.tsx'

/** Where something is damaged: which second copy has it as well, and what it is good for. */
export function SecondCopyHint({ snapshotId, details }: { snapshotId: string; details: Verification['details'] }) {
  const copies = useQuery(snapshotCopiesQuery(snapshotId)).data ?? []
  const source = details?.ranOn === 'appliance' ? copies.find(({ place }) => place !== 'device') : undefined
  const copy = source ?? copies[0]
  if (!copy) return null
  return (
    <Text size="sm">
      {`“${copy.vaultName}” has this backup as well. `}
      {source ? (
        <>
          Damaged data can be put back from it: choose “What is in it” and “Repair backups from this copy…” under{' '}
          <TextLink to="/backup/second-copies" size="sm">
            Second copies
          </TextLink>
          .
        </>
      ) : (
        'Choose it when you restore files.'
      )}
    </Text>
  )
}
