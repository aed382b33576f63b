import { useSearch } from '@tanstack/react-router'
import { ApiError } from '../../../lib/api-error.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { TextLink } from '../../../ui/links.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { LoadFailed } from '../../../ui/states.tsx'
import { Wizard } from '../../../ui/wizard/wizard.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { FileStep } from './file-step.tsx'
import { PreviewStep } from './preview-step.tsx'
import { ResultStep } from './result-step.tsx'
import { useImportWizard } from './use-import-wizard.ts'

export function ContactImportPage() {
  const me = useMe()
  const { into } = useSearch({ from: '/app/contacts/import' })
  if (!can(me, 'organizations:write')) return <LoadFailed error={new ApiError(403, 'permission_denied')} />
  return <ImportWizardPage into={me.scope === 'organization' ? (me.orgId ?? undefined) : into} />
}

function ImportWizardPage({ into }: { into: string | undefined }) {
  const wizard = useImportWizard(into)
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
      <Wizard
        label="Import progress"
        order={2}
        current={wizard.step}
        steps={[
          { name: 'file', label: 'File', title: 'Choose the list', content: <FileStep wizard={wizard} /> },
          { name: 'columns', label: 'Columns', title: 'Match the columns', content: <ColumnsStep wizard={wizard} /> },
          {
            name: 'preview',
            label: 'Preview',
            title: 'Review the changes',
            content: <PreviewStep wizard={wizard} />,
          },
          {
            name: 'result',
            label: 'Import',
            title: 'Import results',
            content: <ResultStep wizard={wizard} />,
          },
        ]}
      />
    </>
  )
}
