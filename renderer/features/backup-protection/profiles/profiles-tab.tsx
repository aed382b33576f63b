import { Button, Group, Modal } from '@mantine/core'
import { IconFolders, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { profilesQuery } from '../../../data/backup-profiles.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { closeUnlessUnsaved } from '../../../ui/confirm-leave.tsx'
import { Listed } from '../../../ui/loaded.tsx'
import { EmptyList } from '../../../ui/states.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileTable } from './profile-table.tsx'

/** What policies share about what is protected. */
export function ProfilesTab({ orgId }: { orgId: string }) {
  const { profile: open } = useSearch({ from: '/app/backup/protection' })
  const navigate = useNavigate({ from: '/backup/protection' })
  const me = useMe()
  const mayWrite = can(me, 'backup:write') && !me.isConfined
  const profiles = useQuery(profilesQuery(orgId))
  const show = (profile: string | undefined) => navigate({ search: (old) => ({ ...old, profile }) })
  const close = () => navigate({ search: (old) => ({ ...old, profile: undefined }), replace: true })
  const edited = profiles.data?.find(({ id }) => id === open)
  const isOpen = mayWrite && (open === 'new' || edited !== undefined)
  const create = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => show('new')}>
      New profile
    </Button>
  )
  return (
    <>
      {create && profiles.data && profiles.data.length > 0 && (
        <Group justify="flex-end" mb="sm">
          {create}
        </Group>
      )}
      <Listed
        of={profiles}
        empty={
          <EmptyList icon={<IconFolders stroke={1.5} />} title="No profiles" action={create}>
            A profile says what to protect, for several policies. You don’t need one: a policy can say it itself.
          </EmptyList>
        }
      >
        {(rows) => <ProfileTable profiles={rows} mayWrite={mayWrite} onEdit={show} />}
      </Listed>
      <Modal
        opened={isOpen}
        onClose={closeUnlessUnsaved(close)}
        title={edited ? `Edit ${edited.name}` : 'New profile'}
        size={560}
      >
        {isOpen && <ProfileForm key={open} orgId={orgId} profile={edited} onDone={close} />}
      </Modal>
    </>
  )
}
