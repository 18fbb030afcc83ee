"""What recorded sessions are held against lies in modules beside these tests, the sessions beside the project."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
