import { readFileSync } from 'node:fs'

/** The closing line, computed from the test runner's own report. A suite that could not start counts as one failure. */

interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report
const broken = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
)
const failed = report.numFailedTests + broken.length
const skipped = report.numPendingTests > 0 ? `, ${report.numPendingTests} skipped` : ''
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed${skipped}\n`)
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1
