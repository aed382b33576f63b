import type { ReactNode } from 'react'
import { FormError } from '../../ui/form-error.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'
import type { SettingsForm } from './use-settings-form.ts'

interface Props<Values> {
  title: string
  form: SettingsForm<Values>
  isEditable: boolean
  /** The fields of the form. */
  children: ReactNode
}

/** A part of the partner's settings with its own form. */
export function SettingsFormPanel<Values>({
  title,
  form: { form, submit, discard, isPending, error },
  isEditable,
  children,
}: Props<Values>) {
  return (
    <SavePanel
      title={title}
      onSubmit={submit}
      onDiscard={discard}
      isEditable={isEditable}
      isDirty={form.isDirty()}
      isPending={isPending}
    >
      <FormError error={error} />
      {children}
    </SavePanel>
  )
}
