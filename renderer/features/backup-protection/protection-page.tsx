import { Button, Modal } from '@mantine/core'
import { IconShieldCheck, IconShieldPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { backupPoliciesQuery } from '../../data/backup-policies.ts'
import { useMayProtect } from '../../domain/backup-policies/use-may-protect.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { PolicyAssignments } from './policy-assignments.tsx'
import { PolicyForm } from './policy-form.tsx'
import { PolicyTable } from './policy-table.tsx'
import { ProfilesTab } from './profiles/profiles-tab.tsx'

export function ProtectionPage() {
  const mayProtect = useMayProtect()
  const protect = useOpenDialog('protect')
  const { tab = 'policies' } = useSearch({ from: '/app/backup/protection' })
  const navigate = useNavigate({ from: '/backup/protection' })
  const me = useMe()
  const maySeeProfiles = can(me, 'backup:read') && !me.isConfined
  useOfferActions(
    mayProtect ? [{ label: 'Protect devices', alias: 'New policy backup', Icon: IconShieldPlus, run: protect }] : [],
  )
  return (
    <>
      <PageHeader
        title="Protection"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="What is backed up, when, and for how long. Of several policies the one closest to a device applies."
        actions={
          mayProtect && (
            <Button leftSection={<IconShieldPlus size={16} />} onClick={protect}>
              Protect devices
            </Button>
          )
        }
      />
      <OfOrganization what="Policies">
        {(orgId) => (
          <PageTabs
            key={orgId}
            open={tab}
            onOpen={(next) => navigate({ search: { tab: next } })}
            tabs={[
              { value: 'policies', label: 'Policies', content: <Policies orgId={orgId} /> },
              ...(maySeeProfiles
                ? [{ value: 'profiles' as const, label: 'Profiles', content: <ProfilesTab orgId={orgId} /> }]
                : []),
            ]}
          />
        )}
      </OfOrganization>
    </>
  )
}

function Policies({ orgId }: { orgId: string }) {
  const { edit, assign } = useSearch({ from: '/app/backup/protection' })
  const navigate = useNavigate({ from: '/backup/protection' })
  const mayWrite = useMayProtect()
  const policies = useQuery(backupPoliciesQuery(orgId))
  const find = (id: string | undefined) => (mayWrite ? policies.data?.find((one) => one.id === id) : undefined)
  const [edited, assigned] = [find(edit), find(assign)]
  const open = (dialog: { edit?: string; assign?: string }) => navigate({ search: (old) => ({ ...old, ...dialog }) })
  const close = () => navigate({ search: (old) => ({ ...old, edit: undefined, assign: undefined }), replace: true })
  return (
    <>
      <Listed of={policies} empty={<NothingProtected />}>
        {(rows) => (
          <PolicyTable
            orgId={orgId}
            policies={rows}
            onEdit={(id) => open({ edit: id })}
            onAssign={(id) => open({ assign: id })}
          />
        )}
      </Listed>
      <Modal
        opened={edited !== undefined}
        onClose={closeUnlessUnsaved(close)}
        title={edited ? `Edit ${edited.name}` : ''}
        size={640}
      >
        {edited && <PolicyForm key={edited.id} orgId={orgId} policy={edited} onDone={close} />}
      </Modal>
      <Modal
        opened={assigned !== undefined}
        onClose={closeUnlessUnsaved(close)}
        title={assigned ? `Devices of ${assigned.name}` : ''}
        size={560}
      >
        {assigned && <PolicyAssignments key={assigned.id} orgId={orgId} policy={assigned} />}
      </Modal>
    </>
  )
}

function NothingProtected() {
  const { isConfined } = useMe()
  const mayProtect = useMayProtect()
  const protect = useOpenDialog('protect')
  const icon = <IconShieldCheck stroke={1.5} />
  if (isConfined)
    return (
      <EmptyList icon={icon} title="Nothing to see here">
        Policies belong to the whole organization, and you have access to a part of it. The page of a device says which
        policy backs it up.
      </EmptyList>
    )
  return (
    <EmptyList
      icon={icon}
      title="Nothing is protected yet"
      action={mayProtect && <Button onClick={protect}>Protect devices</Button>}
    >
      Say what to back up, when, and how long to keep it. The rest is done for you.
    </EmptyList>
  )
}
