import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { CompanyForm } from './use-company-form.ts'

interface Props<Values> {
  title: string
  form: CompanyForm<Values>
  isEditable: boolean
  /** The fields. */
  children: ReactNode
}

/** A part of the settings of the company that is saved by itself. */
export function FormPanel<Values>({
  title,
  form: { form, submit, isPending, error },
  isEditable,
  children,
}: Props<Values>) {
  return (
    <Panel title={title}>
      <form aria-label={title} onSubmit={submit} noValidate>
        <Stack gap="sm">
          <FormError error={error} />
          {children}
          {isEditable && (
            <Group>
              <Button type="submit" variant="default" loading={isPending} disabled={!form.isDirty()}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
