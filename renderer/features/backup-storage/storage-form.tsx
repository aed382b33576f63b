import { Checkbox, Select, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { addStorage, changeStorage } from '../../data/backup-storages.ts'
import { kindNames, providerOf, storageKinds } from '../../domain/backup-storage/storage-kinds.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { detailsOf, draftOf, isStored, missingFields, nameOf, newDraft, type StorageDraft } from './storage-draft.ts'
import { StorageField } from './storage-field.tsx'
import { storageFields } from './storage-fields.ts'
import { testSaved } from './storage-test.tsx'

interface Props {
  orgId: string
  /** Undefined to add one. */
  storage?: BackupConfig | undefined
  /** Those of the organization. */
  others: readonly BackupConfig[]
  onDone: () => void
}

const kinds = storageKinds.map((value) => ({ value, label: kindNames[value] }))

const aboutKind: Partial<Record<StorageDraft['kind'], string>> = {
  appliance: 'Nothing to set up. Devices can add backups there, but can’t delete or change old ones.',
  folder: 'Only as safe as the disk it’s on: a backup on the device itself is lost with the device.',
}

export function StorageForm({ orgId, storage, others, onDone }: Props) {
  const form = useForm<StorageDraft>({
    initialValues: storage ? draftOf(storage) : newDraft(others),
    validate: (draft) =>
      Object.fromEntries(missingFields(draft, storage).map(({ key }) => [`details.${key}`, 'Enter it'])),
  })
  const { kind, details, replaced, isDefault } = form.values
  const saving = useFormSubmission(form, {
    mutationFn: (draft) => {
      const body = { name: nameOf(draft), isDefault: draft.isDefault, details: detailsOf(draft, storage) }
      return storage
        ? changeStorage(storage.id).mutationFn(body)
        : addStorage(orgId).mutationFn({ ...body, provider: providerOf(draft.kind) })
    },
    onSuccess: async (saved) => {
      onDone()
      notifyDone(storage ? `${saved.name} was saved` : `${saved.name} was added`)
      // What went wrong there is no failure of saving.
      testSaved(saved).catch(() => {})
      await addStorage(orgId).onSuccess()
    },
  })
  const setKind = (next: string | null) => {
    const chosen = storageKinds.find((one) => one === next)
    if (chosen) form.setValues({ kind: chosen, details: {} })
    form.clearErrors()
  }
  const replace = (key: string, isReplaced: boolean) => {
    form.setFieldValue('replaced', isReplaced ? [...replaced, key] : replaced.filter((one) => one !== key))
    form.setFieldValue('details', { ...details, [key]: '' })
  }
  const change = (key: string, text: string) => {
    form.setFieldValue('details', { ...details, [key]: text })
    form.clearFieldError(`details.${key}`)
  }
  return (
    <DialogForm saving={saving} action={storage ? 'Save' : 'Add storage'}>
      {storage ? (
        <Text size="sm">{kindNames[kind]}</Text>
      ) : (
        <Select label="Kind" data={kinds} allowDeselect={false} data-autofocus value={kind} onChange={setKind} />
      )}
      {aboutKind[kind] && (
        <Text size="sm" c="dimmed" mt={-8}>
          {aboutKind[kind]}
        </Text>
      )}
      <TextInput
        label="Name"
        maxLength={255}
        placeholder={nameOf({ name: '', kind })}
        {...form.getInputProps('name')}
        {...(storage && { 'data-autofocus': true })}
      />
      {storageFields[kind].map((field) => (
        <StorageField
          key={`${kind} ${field.key}`}
          field={field}
          value={details[field.key] ?? ''}
          error={form.errors[`details.${field.key}`]}
          isStored={isStored(storage, field.key)}
          isReplaced={replaced.includes(field.key)}
          onChange={(text) => change(field.key, text)}
          onReplace={(isReplaced) => replace(field.key, isReplaced)}
        />
      ))}
      <Checkbox
        label="Default storage"
        description="For policies that name no storage of their own."
        disabled={storage?.isDefault}
        checked={isDefault}
        onChange={(event) => form.setFieldValue('isDefault', event.currentTarget.checked)}
      />
    </DialogForm>
  )
}
