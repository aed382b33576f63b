import './zod-without-eval.ts'
import { start } from './app.tsx'

start()
