import { Button, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Submission } from '../lib/use-form-submission.ts'
import { focusFirstField } from './dialog-focus.ts'
import { DialogFooter } from './dialog-footer.tsx'
import { FormError } from './form-error.tsx'

interface Props {
  saving: Submission
  /** Label of the button. */
  action: string
  /** An alternative, such as a button that goes back. */
  otherwise?: ReactNode
  /** The fields of the form. */
  children: ReactNode
}

/** A form in a dialog: error, fields, submit button. */
export function DialogForm({ saving, action, otherwise, children }: Props) {
  return (
    <form ref={focusFirstField} onSubmit={saving.submit} noValidate>
      <Stack>
        <FormError error={saving.error} />
        {children}
        <DialogFooter otherwise={otherwise}>
          <Button type="submit" loading={saving.isPending}>
            {action}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}
