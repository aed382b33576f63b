import { Box, Stack, Title } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { ApiError } from '../../../lib/api-error.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { useFocusOnAppear } from '../../../lib/use-focus-on-appear.ts'
import { TextLink } from '../../../ui/links.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { LoadFailed } from '../../../ui/states.tsx'
import { StepBar } from '../../../ui/step-bar.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { FileStep } from './file-step.tsx'
import { PreviewStep } from './preview-step.tsx'
import { ResultStep } from './result-step.tsx'
import { type Step, steps, useImportWizard } from './use-import-wizard.ts'

const stepTexts: Record<Step, { label: string; title: string }> = {
  file: { label: 'File', title: 'Choose the list' },
  columns: { label: 'Columns', title: 'Match the columns' },
  preview: { label: 'Preview', title: 'See what will happen' },
  result: { label: 'Import', title: 'What became of the rows' },
}

export function ContactImportPage() {
  const me = useMe()
  const { into } = useSearch({ from: '/app/contacts/import' })
  if (!can(me, 'organizations:write')) return <LoadFailed error={new ApiError(403, 'permission_denied')} />
  return <Steps into={me.scope === 'organization' ? (me.orgId ?? undefined) : into} />
}

function Steps({ into }: { into: string | undefined }) {
  const wizard = useImportWizard(into)
  const { step } = wizard
  const heading = useFocusOnAppear<HTMLHeadingElement>(step)
  return (
    <>
      <PageHeader
        title="Import contacts"
        before={
          into ? (
            <TextLink to="/organizations/$orgId" params={{ orgId: into }} search={{ tab: 'contacts' }} size="sm">
              Contacts
            </TextLink>
          ) : (
            <TextLink to="/organizations" size="sm">
              Organizations
            </TextLink>
          )
        }
      />
      <Stack gap="lg">
        <Box maw={680}>
          <StepBar
            label="Progress of the import"
            steps={steps.map((one) => stepTexts[one].label)}
            active={steps.indexOf(step)}
          />
        </Box>
        <Title order={2} size="h4" ref={heading} tabIndex={-1}>
          {stepTexts[step].title}
        </Title>
        {step === 'file' && <FileStep wizard={wizard} />}
        {step === 'columns' && <ColumnsStep wizard={wizard} />}
        {step === 'preview' && <PreviewStep wizard={wizard} />}
        {step === 'result' && <ResultStep wizard={wizard} />}
      </Stack>
    </>
  )
}
