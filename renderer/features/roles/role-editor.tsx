import { Alert } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type Role, type RoleDetails, saveRole } from '../../data/roles.ts'
import { rolesPage } from '../../domain/roles/role-pages.ts'
import { count } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { roleNameError } from './filter-roles.ts'
import { RoleHolders } from './holders.tsx'
import { ownerSentence } from './owner-labels.ts'
import { PermissionsTab } from './permissions-tab.tsx'
import { RoleActions } from './role-actions.tsx'
import { RoleBadges } from './role-badges.tsx'
import { bodyOf, countChanges, emptyDraft, fieldsOf, type RoleDraft } from './role-draft.ts'
import { SaveBar } from './save-bar.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { useRoleViewer } from './use-viewer.ts'

interface Props {
  role: RoleDetails
  roles: readonly Role[]
}

/** Page of one role. Changes are kept in a draft until they are saved. */
export function RoleEditor({ role, roles }: Props) {
  const me = useMe()
  const { tab = 'permissions' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const reader = useRoleViewer()
  const [draft, setDraft] = useState<RoleDraft>(emptyDraft)
  const isClosed = role.isSystem || !can(me, 'users:write')
  const changes = countChanges(role, draft)
  useUnsavedChanges(changes > 0)
  const { mutationFn, onSuccess } = saveRole(role)
  const saving = useMutation({
    mutationFn,
    onSuccess: async (saved) => {
      await onSuccess()
      setDraft(emptyDraft)
      notifyDone(`${saved.name} saved`)
    },
  })
  const { name } = fieldsOf(role, draft)
  const trouble = name === role.name ? null : roleNameError(roles, role, name, role.id)
  const change = (next: RoleDraft) => {
    saving.reset()
    setDraft(next)
  }
  const part = { role, roles, draft, isClosed, onChange: change }
  return (
    <>
      <PageHeader
        title={role.name}
        before={
          <TextLink {...rolesPage(role.viewedPartnerId)} size="sm">
            Roles
          </TextLink>
        }
        beside={<RoleBadges role={role} />}
        about={[ownerSentence(role, reader), role.description].filter(Boolean).join(' ')}
        actions={<RoleActions role={role} roles={roles} />}
      />
      {isClosed && (
        <Alert variant="light" p="sm" mb="md">
          {role.isSystem
            ? 'Built-in roles can’t be changed. Copy it and change the copy.'
            : 'Read-only. To make changes you need the permissions to change people and roles.'}
        </Alert>
      )}
      <PageTabs
        tabs={[
          { value: 'permissions', label: 'Permissions', content: <PermissionsTab {...part} /> },
          {
            value: 'people',
            label: `People (${count(role.userCount)})`,
            content: <RoleHolders role={role} roles={roles} />,
          },
          { value: 'settings', label: 'Settings', content: <SettingsTab {...part} /> },
        ]}
        open={tab}
        onOpen={(next) =>
          navigate({ to: '.', search: (old) => ({ ...old, tab: next === 'permissions' ? undefined : next }) })
        }
      />
      {changes > 0 && (
        <SaveBar
          changes={changes}
          obstacle={trouble && `Name: ${trouble}.`}
          error={saving.error}
          isPending={saving.isPending}
          onDiscard={() => change(emptyDraft)}
          onSave={() => saving.mutate(bodyOf(role, draft))}
        />
      )}
    </>
  )
}
