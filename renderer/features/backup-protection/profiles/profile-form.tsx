import { Button, Checkbox, Input, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { BackupProfile } from '../../../../shared/api/backup-profiles.ts'
import { saveProfile } from '../../../data/backup-profiles.ts'
import { FileFields } from '../../../domain/backup-policies/file-fields.tsx'
import { fileTargetsOf } from '../../../domain/backup-policies/plan-draft.ts'
import { TryOnDevice } from '../../../domain/backup-policies/try-on-device.tsx'
import { notifyDone } from '../../../lib/notify.ts'
import { useMe } from '../../../lib/session.ts'
import { useUnsavedChanges } from '../../../lib/unsaved-changes.ts'
import { focusFirstField } from '../../../ui/dialog-focus.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { newProfile, type ProfileDraft, profileDraftOf, profileErrors, selectionsOf } from './profile-draft.ts'

interface Props {
  orgId: string
  /** Undefined to create one. */
  profile?: BackupProfile | undefined
  onDone: () => void
}

export function ProfileForm({ orgId, profile, onDone }: Props) {
  const { canManagePartnerWide } = useMe()
  const [draft, setDraft] = useState(() => (profile ? profileDraftOf(profile) : newProfile))
  const [isTouched, setTouched] = useState(false)
  const [isTried, setTried] = useState(false)
  useUnsavedChanges(isTouched)
  const saving = saveProfile(orgId, profile?.id)
  const save = useMutation({
    mutationFn: saving.mutationFn,
    onSuccess: async ({ name }) => {
      onDone()
      notifyDone(`${name} was saved`)
      await saving.onSuccess()
    },
  })
  const found = profileErrors(draft, profile)
  const errors = isTried ? found : {}
  const change = (part: Partial<ProfileDraft>) => {
    setDraft((old) => ({ ...old, ...part }))
    setTouched(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isRight = Object.keys(found).length === 0
    setTried(!isRight)
    if (!isRight) return
    save.mutate({
      name: draft.name.trim(),
      description: draft.description.trim() || null,
      ownerScope: draft.isOfCompany ? 'partner' : 'organization',
      selections: selectionsOf(draft, profile),
    })
  }
  return (
    <form ref={focusFirstField} onSubmit={submit} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput
          label="Name"
          maxLength={255}
          error={errors.name}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Description"
          description="Optional"
          maxLength={2000}
          value={draft.description}
          onChange={(event) => change({ description: event.currentTarget.value })}
        />
        <Input.Wrapper label="Protects" labelElement="div" error={errors.nothing}>
          <Stack gap="xs" mt={6}>
            <Checkbox
              label="Files"
              checked={draft.hasFiles}
              onChange={(event) => change({ hasFiles: event.currentTarget.checked })}
            />
            <Checkbox
              label="Whole system"
              description="All files of all built-in disks, programs and settings included."
              checked={draft.hasSystem}
              onChange={(event) => change({ hasSystem: event.currentTarget.checked })}
            />
          </Stack>
        </Input.Wrapper>
        {draft.hasFiles && (
          <>
            <FileFields value={draft} errors={errors} onChange={change} />
            <TryOnDevice
              orgId={orgId}
              selection={{ mode: 'file', targets: fileTargetsOf(draft) }}
              isRight={!found.paths && !found.leftOut}
            />
          </>
        )}
        {!profile && canManagePartnerWide && (
          <Checkbox
            label="For all organizations"
            description="Policies of every organization of the company can use it."
            checked={draft.isOfCompany}
            onChange={(event) => change({ isOfCompany: event.currentTarget.checked })}
          />
        )}
        {profile && (
          <Text size="sm" c="dimmed">
            Changes apply to the next backup of every policy with this profile.
          </Text>
        )}
        <DialogFooter>
          <Button type="submit" loading={save.isPending}>
            {profile ? 'Save' : 'Create profile'}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}
