import { Button, Group, SimpleGrid, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { focusFirstError } from '../../lib/focus-first-error.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { TestInput } from './test-panel.tsx'

/** Props that all provider forms share. */
export interface ProviderSettings<Settings> {
  title: string
  /** Shown above the fields. */
  head: ReactNode
  save: Pick<UseMutationResult<unknown, Error, Settings>, 'mutate' | 'isPending' | 'error'>
  /** Shown next to the button, if saving needs more explanation. */
  outcome?: ReactNode
  /** The button that deletes the settings; null if there are none. */
  remove: ReactNode
  /** The panel that sends a test with the entered settings. */
  test: (entered: TestInput<Settings>) => ReactNode
}

interface Props<Values, Settings> extends ProviderSettings<Settings> {
  form: UseFormReturnType<Values>
  settingsOf: (values: Values) => Settings
  /** Whether the form shows stored settings. */
  isStored: boolean
  /** The fields of the form. */
  children: ReactNode
}

/** A form whose settings can be saved, deleted and tested before saving. */
export function ProviderPanels<Values extends Record<string, unknown>, Settings>(props: Props<Values, Settings>) {
  const { title, head, form, settingsOf, isStored, save, outcome, remove, test, children } = props
  useUnsavedChanges(form.isDirty())
  const onRefused = (error: Error) => {
    const errors = withoutPrefix(fieldErrorsOf(error))
    form.setErrors(errors)
    focusFirstError(form, errors)
  }
  const read = () => {
    const { hasErrors, errors } = form.validate()
    if (!hasErrors) return settingsOf(form.getValues())
    focusFirstError(form, errors)
    return null
  }
  const entered: TestInput<Settings> = { isUnsaved: form.isDirty() || !isStored, read, onRefused }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
      <Panel title={title}>
        <Stack gap="sm">
          {head}
          <form
            onSubmit={form.onSubmit((values) =>
              save.mutate(settingsOf(values), { onSuccess: () => form.resetDirty(), onError: onRefused }),
            )}
            noValidate
          >
            <Stack gap="sm">
              {children}
              <FormError error={save.error} />
              {outcome}
              <Group justify="space-between">
                <Button type="submit" loading={save.isPending}>
                  Save
                </Button>
                {remove}
              </Group>
            </Stack>
          </form>
        </Stack>
      </Panel>
      {test(entered)}
    </SimpleGrid>
  )
}

const withoutPrefix = (errors: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(errors).map(([field, message]) => [field.replace(/^(smtp|settings)\./, ''), message]),
  )
